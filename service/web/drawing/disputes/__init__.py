"""The words of disputes, the steps that a viewer may take, and what the forms of these steps send to the API."""
