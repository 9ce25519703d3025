"""The rules of disputes, as pure functions: who may do what when, and what each step records (DECISIONS 105)."""
