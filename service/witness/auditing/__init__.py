"""The auditing witness reads every entry (leaf) before it cosigns, refuses a fork, and decides every decision again."""
