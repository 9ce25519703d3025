"""The resources for auditors: figures of players, and who paid whom."""
