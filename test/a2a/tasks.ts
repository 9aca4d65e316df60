import type { Authenticate } from '../../src/security/authenticator.ts';
import type { Principal, Scope } from '../../src/security/principal.ts';
import { scopes } from '../../src/security/principal.ts';
import { Unauthenticated } from '../../src/security/refused.ts';
import type { Skill, SkillOutcome } from '../../src/skills/skill.ts';

/** A task as JSON, of 1.0 or of 0.3. */
export interface TaskJson {
  id: string;
  contextId: string;
  status: { state: string; message?: { parts: { text?: string; data?: Record<string, unknown> }[] } };
  artifacts?: { parts: { data: unknown }[] }[];
}

/** Params of a message of A2A 1.0 with one data part. */
export function message(data: object, further: object = {}) {
  const messageId = crypto.randomUUID();
  return { message: { messageId, role: 'ROLE_USER', parts: [{ data }], ...further } };
}

/** The same of 0.3. */
export function message03(data: object, further: object = {}) {
  const messageId = crypto.randomUUID();
  const parts = [{ kind: 'data', data }];
  return { message: { kind: 'message', messageId, role: 'user', parts, ...further } };
}

const outcome = (state: SkillOutcome['state'], data?: object): SkillOutcome => ({
  state,
  artifacts: data ? [{ name: 'output', description: '', data }] : [],
  text: state,
});

/** Skills for tests: `wait` goes on until it is released or told to stop. */
export function testSkills() {
  const waiting = new Set<() => void>();
  const signals: AbortSignal[] = [];
  const skill = (run: Skill['run']): Skill => ({ summary: 'For tests', example: { skill: 'echo' }, run });
  return {
    /** How many executions of `wait` there are now. */
    waiting,
    signals,
    release() {
      for (const each of waiting) each();
    },
    skills: {
      echo: skill(async (input) => outcome('completed', input)),
      ask: skill(async () => outcome('input-required')),
      fail: skill(async () => {
        throw new Error('password hunter2 is wrong');
      }),
      wait: skill(
        (_input, { signal }) =>
          new Promise((resolve, reject) => {
            signals.push(signal);
            const release = () => {
              waiting.delete(release);
              resolve(outcome('completed'));
            };
            waiting.add(release);
            signal.addEventListener('abort', () => {
              waiting.delete(release);
              reject(signal.reason);
            });
          }),
      ),
      flood: skill(async (_input, { publish }) => {
        const data = { filling: 'x'.repeat(100_000) };
        for (let n = 0; n < 300; n++) publish({ id: 'flood', name: 'flood', description: '', data, append: false });
        return outcome('completed');
      }),
    },
  };
}

const callers: Record<string, Principal> = {
  ana: { tenant: 'north', agentId: 'ana', scopes: new Set(scopes) },
  bob: { tenant: 'north', agentId: 'bob', scopes: new Set(scopes) },
  ana_south: { tenant: 'south', agentId: 'ana', scopes: new Set(scopes) },
  reader: { tenant: 'north', agentId: 'reader', scopes: new Set<Scope>(['knowledge:query']) },
};

/** Knows its callers by the name in the bearer token. */
export const byName: Authenticate = async ({ authorization }) => {
  const caller = callers[authorization?.replace('Bearer ', '') ?? ''];
  if (!caller) throw new Unauthenticated(authorization === undefined ? 'missing' : 'unknown-key');
  return caller;
};
