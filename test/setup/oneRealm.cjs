const vm = require('node:vm');
const { LegacyFakeTimers, ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');

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

  constructor({ projectConfig: config }) {
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
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  getVmContext() {
    return here;
  }
};
