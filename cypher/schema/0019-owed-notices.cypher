// Only receivers that are still to be told how a task comes to rest have one: see src/tasks/store/owedNotices.ts.
CREATE INDEX push_config_owed IF NOT EXISTS FOR (n:PushConfig) ON (n.owedAt);
