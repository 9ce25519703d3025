"""The audit: decides every recorded decision again, and checks the stored data of tables. The audit changes nothing."""
