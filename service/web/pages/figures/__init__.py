"""The pages with figures: accounts and their statements, flows between seats, and operations."""
