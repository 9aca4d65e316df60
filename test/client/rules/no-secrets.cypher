// rule: no-secrets
// severity: forbid
// message: nothing is said of what is secret
// on: update
UNWIND $patches AS patch
WITH patch WHERE patch.op = 'add' AND patch.subject = 'urn:secret'
RETURN patch.subject AS subject, patch.predicate AS predicate, patch.object AS object, null AS message
