const { appendFileSync } = require('node:fs');
const { relative } = require('node:path');
const vm = require('node:vm');
const { LegacyFakeTimers, ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');
const processorTime = require('./processorTime.cjs');

/** Stands for the realm that the worker itself is in, for which node:vm has no name. */
const here = vm.createContext({});

function inRealm({ context, ...options } = {}) {
  return context === here ? options : { context, ...options };
}

const { SourceTextModule, SyntheticModule, compileFunction } = vm;
vm.SourceTextModule = class extends SourceTextModule {
  constructor(code, options) {
    super(code, inRealm(options));
  }
};
vm.SyntheticModule = class extends SyntheticModule {
  constructor(names, evaluate, options) {
    super(names, evaluate, inRealm(options));
  }
};
vm.compileFunction = (code, names, { parsingContext, ...options } = {}) =>
  compileFunction(code, names, parsingContext === here ? options : { parsingContext, ...options });

/** What Jest keeps of a file beyond it. */
const kept = /JEST_STATE|EVENT_HANDLERS|TEST_TIMEOUT|RETRY/;

/**
 * An environment of Jest in which test files run in the realm of the modules that they share (sharedModules.cjs): an
 * error of a package is an Error for the test, as it is in a service. Environment variables are those of each file.
 */
module.exports = class {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  before = { env: { ...process.env }, exit: process.exit, console };

  constructor({ projectConfig: config }, { testPath }) {
    if (process.env.TEST_TIMES) this.timed = { file: relative(config.rootDir, testPath), before: processorTime() };
    for (const key of Object.getOwnPropertySymbols(globalThis)) {
      if (kept.test(String(key))) Reflect.deleteProperty(globalThis, key);
    }
    const timers = { config, global: globalThis };
    const timerConfig = { idToRef: (id) => id, refToId: (timer) => timer };
    this.fakeTimers = new LegacyFakeTimers({ ...timers, moduleMocker: this.moduleMocker, timerConfig });
    this.fakeTimersModern = new ModernFakeTimers(timers);
  }

  async setup() {}

  async teardown() {
    this.fakeTimers.dispose();
    this.fakeTimersModern.dispose();
    const { env, exit, console } = this.before;
    for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
    Object.assign(process.env, env);
    process.exit = exit;
    globalThis.console = console;
    if (this.timed) this.tellTime();
  }

  /** A line for times.mjs. */
  tellTime() {
    const { file, before } = this.timed;
    const used = Object.entries(processorTime()).map(([kind, seconds]) => [kind, seconds - before[kind]]);
    appendFileSync(process.env.TEST_TIMES, `${JSON.stringify({ file, ...Object.fromEntries(used) })}\n`);
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  getVmContext() {
    return here;
  }
};
