// The keys that agents authenticate with (concord keys); only a hash of each is kept.
CREATE CONSTRAINT api_key_id IF NOT EXISTS FOR (n:ApiKey) REQUIRE n.id IS UNIQUE;
