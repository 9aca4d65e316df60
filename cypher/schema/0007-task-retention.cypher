// Tasks by state and age, for those that ended long ago: see src/tasks/running/taskSweep.ts.
CREATE INDEX task_state_age IF NOT EXISTS FOR (n:Task) ON (n.state, n.statusAt);
