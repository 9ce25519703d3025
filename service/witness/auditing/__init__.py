"""What an auditing witness does before it cosigns: it reads every entry, and looks for streams with two histories."""
