"""Forms for the actions of any game, made from the list of actions alone; and the action that a sent form means."""
