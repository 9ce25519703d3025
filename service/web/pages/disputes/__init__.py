"""The pages of disputes: the lists of disputes, one dispute as a case, and the forms that take its steps."""
