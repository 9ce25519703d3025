"""Forms for the actions of any game, made from the API's list of actions; and the action that a sent form means."""
