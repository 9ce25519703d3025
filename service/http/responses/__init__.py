"""What an answer is made of: representations, feeds, and problems."""
