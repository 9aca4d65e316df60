// Subscriptions to changes that are kept for receivers: see src/knowledge/subscriptions/.
CREATE CONSTRAINT change_subscription_key IF NOT EXISTS FOR (n:ChangeSubscription) REQUIRE (n.tenant, n.id) IS UNIQUE;
CREATE INDEX change_subscription_of_owner IF NOT EXISTS FOR (n:ChangeSubscription) ON (n.tenant, n.owner, n.createdAt);
// Only what is served has a lease.
CREATE INDEX change_subscription_lease IF NOT EXISTS FOR (n:ChangeSubscription) ON (n.leaseUntil);
