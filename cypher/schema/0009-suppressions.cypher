// What must not come back after a purge: keyed hashes, without any of it.
CREATE CONSTRAINT suppression_key IF NOT EXISTS FOR (n:Suppression) REQUIRE n.id IS UNIQUE;
