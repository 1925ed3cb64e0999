-- A previous webhook secret is deleted when its time is over, with the key that sealed it perhaps gone.
grant update (previous_webhook_secret, previous_secret_valid_until) on integrations to forgewatch_worker;
