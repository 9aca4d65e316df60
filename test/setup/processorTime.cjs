const { readFileSync, readdirSync } = require('node:fs');

const ticksPerSecond = 100;

/** The process of this worker's Neo4j, where the run has started it (start.mjs). */
const neo4j = JSON.parse(process.env.TEST_NEO4J_PROCESSES ?? '[]')[Number(process.env.JEST_WORKER_ID ?? 1) - 1];

/** Seconds of a process or a thread, and of the children that it has waited for: proc(5), `stat`, fields 14 to 17. */
function secondsOf(path) {
  const stat = readFileSync(path, 'utf8');
  // The second field is the name in parentheses, which may hold spaces and parentheses itself.
  const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user, system, ofUser, ofSystem] = fields.slice(11, 15).map((ticks) => ticks / ticksPerSecond);
  return { name, own: user + system, children: ofUser + ofSystem };
}

/** Of Java's compiler threads: they come and go, and what ended ones have taken is missing. */
function compilerSeconds(pid) {
  const threads = readdirSync(`/proc/${pid}/task`).map((thread) => secondsOf(`/proc/${pid}/task/${thread}/stat`));
  return threads.filter(({ name }) => /^C[12] /.test(name)).reduce((sum, { own }) => sum + own, 0);
}

/**
 * Processor time so far, in seconds: of this worker's Node, of processes that it has started and that have ended (such
 * as a Neo4j of a test's own), of the worker's Neo4j, and of that what Java's compiler took. Linux only.
 */
module.exports = function processorTime() {
  const { own: node, children } = secondsOf('/proc/self/stat');
  if (!neo4j) return { node, children, java: 0, compiler: 0 };
  return { node, children, java: secondsOf(`/proc/${neo4j}/stat`).own, compiler: compilerSeconds(neo4j) };
};
