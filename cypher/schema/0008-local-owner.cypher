// The local principal's tasks were owned by `local`, which an agent may be called: see src/calls/principalUser.ts.
MATCH (n:Task {tenant: 'default', owner: 'local'}) SET n.owner = '';
MATCH (n:PushConfig {tenant: 'default', owner: 'local'}) SET n.owner = '';
