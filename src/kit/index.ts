export { type AgentOptions, type RunningAgent, startAgent } from './agent.ts';
export { type AgentSkill, Question, question, type SkillAnswer, SkillError, type SkillRequest } from './skill.ts';
