// rule: literal-type
// severity: reject
// message: an object fits the vocabulary's field
// on: update
UNWIND $patches AS patch
WITH patch WHERE patch.op = 'add'
// One look-up a predicate.
WITH patch.predicate AS predicate, collect(patch) AS patches
MATCH (p:Predicate {iri: predicate})
WHERE p.scalar IS NOT NULL OR p.ranges IS NOT NULL
UNWIND patches AS patch
// A day that the calendar has.
WITH patch, p, '((\\d\\d(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29|\\d{4}-(02-(0[1-9]|1\\d|2[0-8])|(0[469]|11)-(0[1-9]|[12]\\d|30)|(0[13578]|1[02])-(0[1-9]|[12]\\d|3[01])))' AS day
WITH patch, p, CASE
  WHEN p.scalar IS NULL THEN patch.value IS NULL
  WHEN patch.value IS NULL THEN false
  WHEN p.scalar IN ['String', 'ID'] THEN patch.value IS :: STRING NOT NULL AND (NOT coalesce(p.indexed, false) OR size(patch.value) <= 2000)
  WHEN p.scalar = 'Boolean' THEN patch.value IS :: BOOLEAN NOT NULL
  WHEN p.scalar = 'Int' THEN patch.value IS :: INTEGER NOT NULL AND -2147483648 <= patch.value <= 2147483647
  WHEN p.scalar = 'Float' THEN patch.value IS :: INTEGER | FLOAT
  WHEN NOT patch.value IS :: STRING NOT NULL THEN false
  WHEN p.scalar = 'Date' THEN patch.value =~ day
  ELSE patch.value =~ day + 'T([01]\\d|2[0-3]):[0-5]\\d(:[0-5]\\d(\\.\\d+)?)?(Z|[+-]([01]\\d|2[0-3]):?[0-5]\\d)'
END AS fits
WHERE NOT fits
RETURN patch.subject AS subject, patch.predicate AS predicate, coalesce(patch.object, left(toString(patch.value), 100)) AS object,
  CASE
    WHEN p.scalar IS NULL THEN 'is a literal, but the field takes an entity'
    WHEN patch.value IS NULL THEN 'is an entity, but the field takes a literal of type ' + p.scalar
    WHEN coalesce(p.indexed, false) AND patch.value IS :: STRING NOT NULL AND size(patch.value) > 2000 THEN 'is longer than the 2,000 characters of an indexed field'
    ELSE 'does not fit the field type ' + p.scalar
  END AS message
