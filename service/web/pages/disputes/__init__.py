"""The pages of disputes: the list of the open ones, one dispute as a case, and the forms that take its steps."""
