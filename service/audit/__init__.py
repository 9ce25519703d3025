"""The audit: everything that is recorded, decided and worked out again. It changes nothing."""
