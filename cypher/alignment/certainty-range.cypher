// rule: certainty-range
// severity: reject
// message: a certainty is a number from 0 to 1
// on: update
UNWIND $patches AS patch
WITH patch WHERE patch.op = 'add' AND NOT 0 <= patch.certainty <= 1
RETURN patch.subject AS subject, patch.predicate AS predicate, patch.object AS object,
  'certainty ' + toString(patch.certainty) AS message
