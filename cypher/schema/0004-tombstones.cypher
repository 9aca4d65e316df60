// What was erased for good (knowledge/purge), without any of it.
CREATE CONSTRAINT tombstone_key IF NOT EXISTS FOR (n:Tombstone) REQUIRE n.id IS UNIQUE;
