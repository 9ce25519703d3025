"""The words of disputes, the steps that a viewer may take, and the bodies of the forms that take them."""
