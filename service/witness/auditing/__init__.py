"""The auditing witness: reads every entry before it cosigns, refuses a fork, and decides every decision again."""
