MATCH (:Country) RETURN count(*) AS c
---
MATCH (n:Country) RETURN count(*) AS c
---
MATCH (n:Country|City) RETURN count(*) AS c
---
MATCH (n:Country&Entity) RETURN count(*) AS c
---
MATCH (n:!Literal) RETURN count(*) AS c
---
MATCH (n:(Country|City)&Entity) RETURN count(*) AS c
---
MATCH (n:%) RETURN count(*) AS c
---
MATCH (n IS Country) RETURN count(*) AS c
---
MATCH (n:Country:Entity) RETURN count(*) AS c
---
MATCH (a:Country)-->(b) RETURN count(b) AS c
---
MATCH (a:Country)<--(b) RETURN count(b) AS c
---
MATCH (a:Country)--(b) RETURN count(b) AS c
---
MATCH (a:Country)-[r]->(b) RETURN count(b) AS c
---
MATCH (a:Country)-[:BORDERS]->(b) RETURN count(b) AS c
---
MATCH (a:Country)-[r:BORDERS|CAPITAL]-(b) RETURN count(b) AS c
---
MATCH (a:Country)<-[r:BORDERS]-(b) RETURN count(b) AS c
---
MATCH (a:Country)-[r:!PAST]->(b) RETURN count(b) AS c
---
MATCH (a:Country)-[r:!(BORDERS|AREA)]-(b) RETURN count(b) AS c
---
MATCH (a:Country)-[r:%]->(b) RETURN count(b) AS c
---
MATCH (a:Country)-[r {graph: $graph}]->(b) RETURN count(b) AS c
---
MATCH (a:Country)-[r WHERE r.certainty > 0.5]->(b) RETURN count(b) AS c
---
MATCH (a:Country)-[*1..2]->(b) RETURN count(b) AS c
---
MATCH (a:Country)-[rs:BORDERS*..2]-(b) RETURN count(b) AS c
---
MATCH (a:Country)-[:BORDERS*2]->(b) RETURN count(b) AS c
---
MATCH (a:Country)-[rs*0..1]-(b) RETURN count(b) AS c
---
MATCH (a:Country)-[:BORDERS]->{1,2}(b) RETURN count(b) AS c
---
MATCH (a:Country)-[r:BORDERS]-+(b) RETURN count(b) AS c
---
MATCH (a:Country)-[:BORDERS]->*(b) RETURN count(b) AS c
---
MATCH (a:Country)-[r:BORDERS]->{,2}(b) RETURN count(b) AS c
---
MATCH (a:Country)-[]-{0,1}(b) RETURN count(b) AS c
---
MATCH p = (a {id: $id})-->(b:Entity) RETURN length(p) AS l, [x IN nodes(p) | x.id] AS ids ORDER BY l LIMIT 5
---
MATCH p = (a {id: $id})<--(b:Entity) RETURN length(p) AS l, [x IN nodes(p) | x.id] AS ids ORDER BY l LIMIT 5
---
MATCH p = (a {id: $id})--(b:Entity) RETURN length(p) AS l, [x IN nodes(p) | x.id] AS ids ORDER BY l LIMIT 5
---
MATCH p = (a {id: $id})-[r]->(b:Entity) RETURN length(p) AS l, [x IN nodes(p) | x.id] AS ids ORDER BY l LIMIT 5
---
MATCH p = (a {id: $id})-[:BORDERS]->(b:Entity) RETURN length(p) AS l, [x IN nodes(p) | x.id] AS ids ORDER BY l LIMIT 5
---
MATCH p = (a {id: $id})-[r:BORDERS|CAPITAL]-(b:Entity) RETURN length(p) AS l, [x IN nodes(p) | x.id] AS ids ORDER BY l LIMIT 5
---
MATCH p = (a {id: $id})<-[r:BORDERS]-(b:Entity) RETURN length(p) AS l, [x IN nodes(p) | x.id] AS ids ORDER BY l LIMIT 5
---
MATCH p = (a {id: $id})-[r:!PAST]->(b:Entity) RETURN length(p) AS l, [x IN nodes(p) | x.id] AS ids ORDER BY l LIMIT 5
---
MATCH p = (a {id: $id})-[r:!(BORDERS|AREA)]-(b:Entity) RETURN length(p) AS l, [x IN nodes(p) | x.id] AS ids ORDER BY l LIMIT 5
---
MATCH p = (a {id: $id})-[r:%]->(b:Entity) RETURN length(p) AS l, [x IN nodes(p) | x.id] AS ids ORDER BY l LIMIT 5
---
MATCH p = (a {id: $id})-[r {graph: $graph}]->(b:Entity) RETURN length(p) AS l, [x IN nodes(p) | x.id] AS ids ORDER BY l LIMIT 5
---
MATCH p = (a {id: $id})-[r WHERE r.certainty > 0.5]->(b:Entity) RETURN length(p) AS l, [x IN nodes(p) | x.id] AS ids ORDER BY l LIMIT 5
---
MATCH (a {id: 'urn:open:a'}), (b {id: $id}) MATCH p = shortestPath((a)-[*..3]-(b)) RETURN length(p) AS l
---
MATCH (a {id: 'urn:open:a'}), (b {id: $id}) MATCH p = allShortestPaths((a)-[:BORDERS*..3]-(b)) RETURN length(p) AS l
---
MATCH p = ANY SHORTEST (a {id: 'urn:open:a'})-[:BORDERS]-{1,2}(b:Country) RETURN count(p) AS c
---
MATCH p = ALL SHORTEST (a {id: 'urn:open:a'})-[:BORDERS]-{1,2}(b:Country) RETURN count(p) AS c
---
MATCH p = SHORTEST 2 (a {id: 'urn:open:a'})-[:BORDERS]-{1,2}(b:Country) RETURN count(p) AS c
---
MATCH p = SHORTEST 1 GROUPS (a {id: 'urn:open:a'})-[:BORDERS]-{1,2}(b:Country) RETURN count(p) AS c
---
MATCH p = ANY 2 (a {id: 'urn:open:a'})-[:BORDERS]-{1,2}(b:Country) RETURN count(p) AS c
---
MATCH p = ANY (a {id: 'urn:open:a'})-[:BORDERS]-{1,2}(b:Country) RETURN count(p) AS c
---
MATCH p = ALL (a {id: 'urn:open:a'})-[:BORDERS]-{1,2}(b:Country) RETURN count(p) AS c
---
MATCH (a:Country) ((x)-[r:BORDERS]->(y) WHERE x.id <> y.id){1,2} (b) RETURN size(r) AS s, [e IN y | e.id] AS ids
---
MATCH ((x)-[r]-(y)){1,2} (b:Country) RETURN count(*) AS c
---
MATCH (a:Country)(()--()){2}(b) RETURN count(*) AS c
---
MATCH p = (a)((x WHERE x.id = $id)-[:BORDERS]->(y))+(b) RETURN count(p) AS c
---
MATCH DIFFERENT RELATIONSHIPS (a)-[r]->(b)<-[s]-(c) RETURN count(*) AS c
---
MATCH REPEATABLE ELEMENTS (a)-[r:BORDERS]->{1,2}(b) RETURN count(*) AS c
---
MATCH (a:Country), (b:City) RETURN count(*) AS c
---
MATCH (a:Country)-->(b), (b)-->(c) RETURN count(*) AS c
---
MATCH (n {id: $id, type: $type}) RETURN n.name AS name
---
MATCH (n:Country {name: 'open a', landlocked: $yes OR false}) RETURN n.id AS id
---
MATCH (n:Country WHERE n.name STARTS WITH 'open' AND n.area > 1) RETURN n.name AS name ORDER BY name
---
OPTIONAL MATCH (n:Country {id: 'none'}) RETURN n.name AS name
---
MATCH (n:Country) OPTIONAL MATCH (n)-[:CAPITAL]->(c) RETURN n.name AS name, c.name AS capital ORDER BY name
---
MATCH (n:Country) WITH n.region AS region, count(*) AS many RETURN region, many ORDER BY many DESC, region SKIP 0 LIMIT 3
---
MATCH (n:Country) WITH DISTINCT n WHERE n.area > 90 RETURN collect(n.name) AS names
---
MATCH (n:Country) WITH *, n.name AS name ORDER BY name LIMIT 2 RETURN name
---
MATCH (n:Country) WITH n ORDER BY n.name DESC SKIP 1 LIMIT 1 RETURN n {.id, .name} AS n
---
MATCH (n:Country) WITH collect(n) AS all UNWIND all AS one RETURN one.name AS name ORDER BY name
---
MATCH (n:Country) WITH collect({node: n, name: n.name}) AS all UNWIND all AS one WITH one.node AS m, one.name AS name RETURN m.id AS id, name
---
UNWIND [1, 2, 2, null] AS x RETURN DISTINCT x
---
UNWIND $list AS x WITH x WHERE x <> 'a' RETURN x ORDER BY x
---
UNWIND range(1, 10, 3) AS x RETURN sum(x) AS s, avg(x) AS a, min(x) AS least, max(x) AS most, count(x) AS c
---
UNWIND [[1, 2], [3]] AS l UNWIND l AS x RETURN collect(x) AS all
---
RETURN 1 AS x UNION RETURN 2 AS x
---
RETURN 1 AS x UNION ALL RETURN 1 AS x UNION ALL RETURN 3 AS x
---
MATCH (n:Country) RETURN n.name AS x UNION MATCH (n:City) RETURN n.name AS x
---
CALL () { MATCH (n:Country) RETURN count(n) AS c } RETURN c
---
MATCH (n:Country) CALL (n) { MATCH (n)-->(b) RETURN count(b) AS c } RETURN n.name AS name, c ORDER BY name
---
MATCH (n:Country) CALL (*) { MATCH (n)-->(b) RETURN max(b.name) AS c } RETURN sum(size(c)) AS c
---
MATCH (n:Country) CALL { WITH n MATCH (n)--(b) RETURN collect(b.id) AS ids } RETURN n.id AS id, ids
---
MATCH (n:Country) OPTIONAL CALL (n) { MATCH (n)-[:CAPITAL]->(c) RETURN c.name AS capital } RETURN n.name AS name, capital
---
CALL () { RETURN 1 AS x UNION RETURN 2 AS x } RETURN sum(x) AS s
---
MATCH (n:Country) RETURN *
---
MATCH (n:Country) WITH n.name AS name RETURN *
---
MATCH (n:Country) RETURN n.name, n.id, count(*)
---
MATCH (n:Country) RETURN DISTINCT n.region AS region ORDER BY region ASC LIMIT $one
---
MATCH (n:Country) RETURN n.name AS `der Name`, n.id AS `😀` ORDER BY `der Name`
---
MATCH (n:Country) RETURN n.name AS name ORDER BY n.area DESCENDING, n.id ASCENDING OFFSET 1 LIMIT 2
---
CYPHER 5 MATCH (n:Country) RETURN count(n) AS c
---
MATCH (n:Country) RETURN count(n) AS c;
---
FINISH
---
MATCH (n) USING SCAN n:Country RETURN n.id AS id
---
/* a comment */ MATCH (n:Country) // of a line
RETURN n.name AS name
---
MATCH (v1:Country)-[own]->(g1) WHERE v1.name = $l1 RETURN g1.id AS __x
---
MATCH (n) WHERE EXISTS { (n)-->(:City) } RETURN count(n) AS c
---
MATCH (n) WHERE NOT EXISTS { MATCH (n)-[:CAPITAL]->(c) WHERE c.name = 'x' } RETURN count(n) AS c
---
MATCH (n) WHERE EXISTS { MATCH (n)-->(b) RETURN b UNION MATCH (n)<--(b) RETURN b } RETURN count(n) AS c
---
MATCH (n) WHERE COUNT { (n)--() } > 2 RETURN count(n) AS c
---
MATCH (n) WHERE COUNT { MATCH (n)-[r]->(b) RETURN DISTINCT b } >= 1 RETURN count(n) AS c
---
MATCH (n) WHERE (n)-[:BORDERS]->() RETURN count(n) AS c
---
MATCH (n) WHERE NOT (n)--(:City) RETURN count(n) AS c
---
MATCH (n) WHERE exists((n)-->()) RETURN count(n) AS c
---
MATCH (n) WHERE 'open b' IN COLLECT { MATCH (n)-->(b) RETURN b.name } RETURN count(n) AS c
---
MATCH (n) WHERE n:Country RETURN count(n) AS c
---
MATCH (n) WHERE n:Country|City RETURN count(n) AS c
---
MATCH (n) WHERE NOT n:Literal RETURN count(n) AS c
---
MATCH (n) WHERE n IS :: NODE RETURN count(n) AS c
---
MATCH (n) WHERE n.area IS :: FLOAT | INTEGER NOT NULL RETURN count(n) AS c
---
MATCH (n) WHERE n.name IS NOT :: STRING RETURN count(n) AS c
---
MATCH (n) WHERE n.name IS TYPED STRING RETURN count(n) AS c
---
MATCH (n) WHERE n IS Country RETURN count(n) AS c
---
MATCH (n) WHERE n IS NOT Literal RETURN count(n) AS c
---
MATCH (n) WHERE n.name = 'open a' RETURN count(n) AS c
---
MATCH (n) WHERE n.name <> $value RETURN count(n) AS c
---
MATCH (n) WHERE n.name =~ '.*a' RETURN count(n) AS c
---
MATCH (n) WHERE n.name STARTS WITH $start RETURN count(n) AS c
---
MATCH (n) WHERE n.name ENDS WITH 'a' OR n.name CONTAINS 'b' RETURN count(n) AS c
---
MATCH (n) WHERE n.name IN ['open a', $value] RETURN count(n) AS c
---
MATCH (n) WHERE 1 < n.area <= 98 RETURN count(n) AS c
---
MATCH (n) WHERE n.area >= 97 XOR n.landlocked RETURN count(n) AS c
---
MATCH (n) WHERE n.region IS NULL RETURN count(n) AS c
---
MATCH (n) WHERE n.region IS NOT NULL AND NOT n.independent RETURN count(n) AS c
---
MATCH (n) WHERE n.name IS NORMALIZED RETURN count(n) AS c
---
MATCH (n) WHERE n.name IS NOT NFC NORMALIZED RETURN count(n) AS c
---
MATCH (n) WHERE any(x IN n.nativeName WHERE x = 'open b') RETURN count(n) AS c
---
MATCH (n) WHERE all(x IN [1, 2] WHERE x > 0) RETURN count(n) AS c
---
MATCH (n) WHERE none(x IN labels(n) WHERE x = 'City') RETURN count(n) AS c
---
MATCH (n) WHERE single(x IN [n] WHERE x.id = $id) RETURN count(n) AS c
---
MATCH (n) WHERE coalesce(n.landlocked, true) RETURN count(n) AS c
---
MATCH (n) WHERE CASE WHEN n.area > 97 THEN true ELSE false END RETURN count(n) AS c
---
MATCH (n) WHERE CASE n.name WHEN 'open a' THEN 1 / 0 > 0 ELSE true END RETURN count(n) AS c
---
MATCH (n) WHERE 1 / (n.area - 97) > 0 RETURN count(n) AS c
---
MATCH (n) WHERE date(n.name).year > 1 RETURN count(n) AS c
---
MATCH (n) WHERE n['na' + 'me'] = 'x' RETURN count(n) AS c
---
MATCH (n) WHERE n['name'] = 'open a' RETURN count(n) AS c
---
MATCH (n) WHERE toInteger(n.name) > 0 RETURN count(n) AS c
---
MATCH (n) WHERE [1][n.name] = 1 RETURN count(n) AS c
---
MATCH (n) WHERE n.name =~ ('(' + n.name) RETURN count(n) AS c
---
MATCH (n) WHERE 9223372036854775807 + n.area > 0 RETURN count(n) AS c
---
MATCH (n) WHERE type(head([(n)-[r]->() | r])) = 'BORDERS' RETURN count(n) AS c
---
MATCH (n) WHERE size([(n)-[:BORDERS]->(b) WHERE b.area > 97 | b.name]) > 0 RETURN count(n) AS c
---
MATCH (n) WHERE n.id = $id OR n.name = $name RETURN count(n) AS c
---
MATCH (n) WHERE isEmpty(n.nativeName) RETURN count(n) AS c
---
MATCH (n) WHERE n = n RETURN count(n) AS c
---
MATCH (n) WHERE id(n) > 0 RETURN count(n) AS c
---
MATCH (n) WHERE elementId(n) <> '' RETURN count(n) AS c
---
MATCH (n) WHERE n.tenant = 'twin' RETURN count(n) AS c
---
MATCH (n) WHERE n.name__certainty < 1 RETURN count(n) AS c
---
MATCH (n:Country) RETURN n.name AS c
---
MATCH (n:Country) RETURN n.nativeName[0] AS c
---
MATCH (n:Country) RETURN n.nativeName[0..1] AS c
---
MATCH (n:Country) RETURN n.nativeName[..1] AS c
---
MATCH (n:Country) RETURN n.nativeName[-1..] AS c
---
MATCH (n:Country) RETURN n {.name, .area} AS c
---
MATCH (n:Country) RETURN n {.*} AS c
---
MATCH (n:Country) RETURN n {.name, a: 1, n: n {.id}} AS c
---
MATCH (n:Country) RETURN {a: n.name, b: [n.id, 1], `c d`: null} AS c
---
MATCH (n:Country) RETURN {a: n}.a.name AS c
---
MATCH (n:Country) RETURN [n, n][0].name AS c
---
MATCH (n:Country) RETURN head([n]).id AS c
---
MATCH (n:Country) RETURN properties(n) AS c
---
MATCH (n:Country) RETURN keys(n) AS c
---
MATCH (n:Country) RETURN labels(n) AS c
---
MATCH (n:Country) RETURN [x IN labels(n) WHERE x <> 'Entity' | toLower(x)] AS c
---
MATCH (n:Country) RETURN reduce(s = '', x IN n.nativeName | s + x) AS c
---
MATCH (n:Country) RETURN [(n)-[r]->(b) | [type(r), b.name]] AS c
---
MATCH (n:Country) RETURN [p = (n)--() | length(p)] AS c
---
MATCH (n:Country) RETURN [(n)-[:BORDERS]->(b) WHERE b.name <> '' | b {.name}] AS c
---
MATCH (n:Country) RETURN COLLECT { MATCH (n)-->(b) RETURN b.name ORDER BY b.name LIMIT 2 } AS c
---
MATCH (n:Country) RETURN COUNT { (n)-->() } AS c
---
MATCH (n:Country) RETURN EXISTS { (n)-->() } AS c
---
MATCH (n:Country) RETURN CASE n.name WHEN 'open a' THEN 1 WHEN 'open b', 'open c' THEN 2 ELSE 3 END AS c
---
MATCH (n:Country) RETURN CASE WHEN n.area > 97 THEN 'large' END AS c
---
MATCH (n:Country) RETURN CASE n.area WHEN > 97 THEN 'l' WHEN IS NULL THEN 'n' WHEN < 3, = 97 THEN 's' END AS c
---
MATCH (n:Country) RETURN n.area + 1 - 2 * 3 / 4 % 5 ^ 2 AS c
---
MATCH (n:Country) RETURN -n.area AS c
---
MATCH (n:Country) RETURN +n.area AS c
---
MATCH (n:Country) RETURN n.name + 'x' + 1 AS c
---
MATCH (n:Country) RETURN n.name || 'x' AS c
---
MATCH (n:Country) RETURN n.nativeName + [1] AS c
---
MATCH (n:Country) RETURN toString(n.area) + 'm' AS c
---
MATCH (n:Country) RETURN toUpper(trim(n.name)) AS c
---
MATCH (n:Country) RETURN substring(n.name, 1, 2) AS c
---
MATCH (n:Country) RETURN left(n.name, 2) + right(n.name, 1) AS c
---
MATCH (n:Country) RETURN replace(n.name, 'o', '0') AS c
---
MATCH (n:Country) RETURN split(n.name, ' ') AS c
---
MATCH (n:Country) RETURN reverse(n.name) AS c
---
MATCH (n:Country) RETURN size(n.name) AS c
---
MATCH (n:Country) RETURN char_length(n.name) AS c
---
MATCH (n:Country) RETURN normalize(n.name, NFC) AS c
---
MATCH (n:Country) RETURN trim(BOTH 'o' FROM n.name) AS c
---
MATCH (n:Country) RETURN btrim(n.name) AS c
---
MATCH (n:Country) RETURN abs(n.area) AS c
---
MATCH (n:Country) RETURN round(n.area, 1) AS c
---
MATCH (n:Country) RETURN sqrt(n.area) AS c
---
MATCH (n:Country) RETURN log10(n.area) AS c
---
MATCH (n:Country) RETURN sin(n.area) + pi() + e() AS c
---
MATCH (n:Country) RETURN toInteger(n.area) AS c
---
MATCH (n:Country) RETURN toFloatOrNull(n.name) AS c
---
MATCH (n:Country) RETURN toBooleanOrNull(n.name) AS c
---
MATCH (n:Country) RETURN toStringList(n.nativeName) AS c
---
MATCH (n:Country) RETURN valueType(n.area) AS c
---
MATCH (n:Country) RETURN nullIf(n.name, 'open a') AS c
---
MATCH (n:Country) RETURN coalesce(n.region, n.name, '-') AS c
---
MATCH (n:Country) RETURN range(0, 2) AS c
---
MATCH (n:Country) RETURN tail(n.nativeName) AS c
---
MATCH (n:Country) RETURN last(n.nativeName) AS c
---
MATCH (n:Country) RETURN n.name IS NULL AS c
---
MATCH (n:Country) RETURN NOT n.landlocked AS c
---
MATCH (n:Country) RETURN n.area = 97 = true AS c
---
MATCH (n:Country) RETURN startNode(head([(n)-[r]->() | r])).id AS c
---
MATCH (n:Country) RETURN endNode(head([(n)-[r]->() | r])).name AS c
---
MATCH (n:Country) RETURN nodes(head([p = (n)-->() | p]))[1].name AS c
---
MATCH (n:Country) RETURN relationships(head([p = (n)-->() | p]))[0].certainty AS c
---
MATCH (n:Country) RETURN n.type AS c
---
MATCH (n:Country) RETURN n.unknown AS c
---
MATCH (n:Country) RETURN $value AS c
---
MATCH (n:Country) RETURN $list[0] AS c
---
MATCH (n:Country) RETURN $map.a.b AS c
---
MATCH (n:Country) RETURN $map {.*, n: n.id} AS c
---
MATCH (n:Country) RETURN any(x IN [n] WHERE x.name = 'open a') AS c
---
MATCH (n:Country) RETURN 'a\'b\\c\n\t' AS c
---
MATCH (n:Country) RETURN "it's" AS c
---
MATCH (n:Country) RETURN 0x1F + 0o17 AS c
---
MATCH (n:Country) RETURN 1.5e3 AS c
---
MATCH (n:Country) RETURN 1_000 AS c
---
MATCH (n:Country) RETURN true AND null OR false AS c
---
MATCH (n:Country) RETURN [1, 'a', null, [2]] AS c
---
MATCH (n:Country) RETURN {} AS c
---
MATCH (n:Country) RETURN [] AS c
---
MATCH (n:Country) RETURN n:Country AS c
---
MATCH (n:Country) RETURN n.area IS :: INTEGER AS c
---
MATCH (n:Country) RETURN point({x: 1, y: 2}).x AS c
---
MATCH (n:Country) RETURN point.distance(point({x: 1, y: 2}), point({x: 3, y: 2})) AS c
---
MATCH (n:Country) RETURN n.`name` AS c
---
MATCH (n:Country) RETURN n.`na``me` AS c
---
MATCH (n:Country) RETURN `n`.name AS c
---
RETURN date('2024-01-02') AS c
---
RETURN date({year: 2024, month: 2, day: 29}).dayOfWeek AS c
---
RETURN datetime('2024-01-02T03:04:05Z').epochMillis AS c
---
RETURN datetime.truncate('day', datetime('2024-01-02T03:04:05Z')) AS c
---
RETURN duration('P1Y2M3DT4H') + duration({days: 1}) AS c
---
RETURN duration.between(date('2024-01-01'), date('2024-03-01')).months AS c
---
RETURN duration.inSeconds(datetime('2024-01-01'), datetime('2024-01-02')).seconds AS c
---
RETURN localtime('12:34').minute AS c
---
RETURN time('12:34+01:00') AS c
---
RETURN localdatetime('2024-01-02T03:04') AS c
---
RETURN datetime.fromEpoch(1, 2) AS c
---
RETURN date('2024-01-31') + duration('P1M') AS c
---
RETURN toString(date('2024-01-31')) AS c
---
RETURN date('not a day') AS c
---
MATCH (n:Country) RETURN count(DISTINCT n.region) AS c
---
MATCH (n:Country) RETURN collect(n.name) AS c
---
MATCH (n:Country) RETURN collect(DISTINCT n.region)[0] AS c
---
MATCH (n:Country) RETURN sum(n.area) AS c
---
MATCH (n:Country) RETURN avg(n.area) AS c
---
MATCH (n:Country) RETURN min(n.name) AS c
---
MATCH (n:Country) RETURN max(n.area) - min(n.area) AS c
---
MATCH (n:Country) RETURN stDev(n.area) AS c
---
MATCH (n:Country) RETURN stDevP(n.area) AS c
---
MATCH (n:Country) RETURN percentileCont(n.area, 0.5) AS c
---
MATCH (n:Country) RETURN percentileDisc(n.area, $half) AS c
---
MATCH (n:Country) RETURN size(collect(n)) AS c
---
MATCH (n:Country) RETURN head(collect(n)).name AS c
---
MATCH (n:Country) RETURN {all: count(*), names: collect(n.name)} AS c
---
MATCH (n:Country) RETURN collect(n {.name}) AS c
---
MATCH (n:Country) RETURN [x IN collect(n) | x.name] AS c
---
MATCH (n:Country) RETURN count(n) > 1 AS c
---
MATCH (n:Country) RETURN count(CASE WHEN n.area > 97 THEN 1 END) AS c
---
MATCH (n:Country) RETURN max(size(n.name)) + 1 AS c
---
MATCH (l:Literal) RETURN l.value AS v, l.datatype AS d, l.language AS g ORDER BY toString(v) LIMIT 3
---
MATCH (n)-[r]->(l:Literal) WHERE l.value = 'open b' RETURN n.id AS id, type(r) AS t
---
MATCH (n)-[r:REGION]->(l) RETURN r.certainty, r.graph, r.predicate, r.observedAt, r.recordedAt, r.sourceAgentId
---
MATCH ()-[r]->() RETURN type(r) AS t, count(*) AS c ORDER BY c DESC, t
---
MATCH ()-[r]->() RETURN r {.*} AS r
---
MATCH (n)-[r]-(m) WHERE startNode(r) = n AND r:BORDERS RETURN n.name AS a, m.name AS b
---
MATCH (n)-[r]->(m) WHERE r.certainty IS NULL OR r.certainty >= 0.5 RETURN count(DISTINCT m) AS c
---
MATCH ()-[r:PAST]->() RETURN count(r) AS c
---
MATCH ()-[r]->() WHERE type(r) = 'PAST' RETURN r.retractedAt AS t
---
MATCH (t:Task) RETURN t
---
MATCH (u:Update)-[:CONTAINS]->(c) RETURN c
---
MATCH (k:ApiKey) RETURN k.hash AS h
---
MATCH (n:$(['Task'])) RETURN n
---
MATCH (n)-[r:$($type)]->() RETURN r
---
CREATE (n:Country) RETURN n
---
MERGE (n {id: 'x'}) RETURN n
---
MATCH (n) SET n.name = 'x'
---
MATCH (n) DETACH DELETE n
---
MATCH (n) REMOVE n.name
---
FOREACH (x IN [1] | CREATE ())
---
LOAD CSV FROM 'file:///etc/passwd' AS l RETURN l
---
CALL db.labels() YIELD label RETURN label
---
CALL dbms.listConfig()
---
USE neo4j MATCH (n) RETURN n
---
EXPLAIN MATCH (n) RETURN n
---
SHOW DATABASES
---
MATCH (n) CALL (n) { RETURN 1 AS x } IN TRANSACTIONS RETURN x
---
RETURN apoc.load.json('http://x') AS c
---
RETURN 1 AS x RETURN 2 AS y
---
MATCH (n RETURN n
---
RETURN $missing AS x
---
RETURN unknown AS x
---
RETURN unknown(1) AS x
---
RETURN '\u0027 AS x
---
RETURN [x IN [1] | y] AS c
---
MATCH (n:Country) FILTER n.area > 1 RETURN n.name AS c
---
LET x = 1 RETURN x
---
MATCH (n) WHERE n.name = $own.tenant RETURN n
---
MATCH (n) WHERE n.name = $ownTenant RETURN n
---
WITH 1 AS x, 2 AS x RETURN x
---
MATCH (n:Country) WHERE n.name IS Country RETURN n.id AS c
---
MATCH (n:Country) WHERE n.population IS Country|City RETURN n.name AS a, n.population AS b
---
MATCH (n:Country)-[:BORDERS]->(m) WHERE n.name STARTS WITH $value AND m.population > 1 RETURN n {.name, .population} AS a, {name: m.name, population: m.population} AS b ORDER BY m.population
---
MATCH (a)((x WHERE x.id = a.id)-[:BORDERS]->(y))+(b) RETURN count(*) AS c
---
MATCH (a), ((x)-[:BORDERS]->(y) WHERE y.id = a.id)+(b) RETURN count(*) AS c
---
MATCH (n)-->() ((n)-->()){1,2} () RETURN count(*) AS c
---
MATCH ((b)-->(c)){1,2} (d) ((b)-->(e)){1,2} RETURN count(*) AS c
---
MATCH ((a)-->(b)){1,2} (c), ((d)-->(b)){1,2} (e) RETURN count(*) AS c
---
MATCH ()-[r]->()-[r]->() RETURN count(*) AS c
---
MATCH p = (n)-->() MATCH p = (n)-->() RETURN count(*) AS c
---
MATCH p = shortestPath((a:Country)-[:BORDERS*]-(b:Country)) WHERE a.id < b.id RETURN length(p) AS l
---
MATCH (a:Country), (b:Country) MATCH p = allShortestPaths((a)-[*..3]-(b)) WHERE all(n IN nodes(p) WHERE n.population > 1) RETURN length(p) AS l
---
MATCH (a:Country), (b:Country) MATCH p = shortestPath((a)-[*..3]-(b)) WHERE size([n IN nodes(p) WHERE EXISTS { (n)-[:BORDERS]->(:Country) }]) > 1 RETURN length(p) AS l
---
MATCH (n:Country) RETURN COUNT { (n)-[:BORDERS|BORDERS]->() } AS c
---
MATCH (a:Country) OPTIONAL MATCH (a)-[r:BORDERS]->(b) OPTIONAL MATCH (a)-[r:BORDERS]->(b) RETURN count(r) AS c
---
MATCH (a:Country) CALL (a) { CALL (*) { MATCH (a)-->(b) RETURN count(b) AS x } RETURN x } RETURN sum(x) AS c
---
MATCH (:Country) ((a)-[r]->(b) WHERE any(x IN [(b)-->(c) | c.id] WHERE x > 1)){1,2} (:Country) RETURN count(*) AS c
---
MATCH ANY SHORTEST (a)-[:BORDERS]->+(b) WHERE 1 / (size(b.name) - 3) > 0 RETURN count(*) AS c
---
MATCH (n:Country) WHERE [(n)-->(m) | m][0]:Country RETURN count(n) AS c
---
MATCH (n:Country) WHERE head(COLLECT { MATCH (n)-->(m) RETURN m }):Country RETURN count(n) AS c
---
MATCH (n {population: $one OR false}) RETURN count(n) AS c
---
MATCH (m:Country) RETURN properties(m {a: m, .*}) AS c
---
MATCH (n) RETURN reduce(l = {a: 1, b: 1, c: n}, y IN [1, 2, 3] | {a: l.b, b: l.c, c: l.c}).a AS c
---
MATCH (b:Literal) WHERE CASE WHEN b.value STARTS WITH $value THEN 1 / 0 > 0 ELSE true END RETURN count(b) AS c
---
MATCH (a:Country {id: $id})-[r]->(b) WHERE 1 / (size(a.id) - size(a.id)) > 0 RETURN count(*) AS c
---
UNWIND [1] AS n RETURN '__concord1' AS a, count("' AS a, 1 AS c UNION MATCH (s:Literal) RETURN s {.tenant, .value} AS a, 1 AS c //") AS c
---
/*😀😀😀😀😀*/RETURN /*0 AS x UNION ALL MATCH (s) RETURN s {.*} AS x//*/'aaa' AS x
---
MATCH (n:Country)-[r]->(o) RETURN CASE WHEN o:Literal THEN {v: o.value, t: o.datatype} ELSE {i: o.id} END AS c
---
MATCH (n:Country) WHERE n.population > 1 AND n.population < 100 AND n.name <> $value RETURN n.name AS a, n.population AS b ORDER BY n.population, n.name
---
MATCH (n:Country) WITH n, n.name AS a, n.population AS b ORDER BY a, b LIMIT 3 WHERE n.area > 1 OR n.name = $value RETURN n {.id, .name, .area} AS c
---
MATCH (n:Country) WITH * WHERE n.name = $value AND 1 / n.population >= 0 RETURN n.id AS c
