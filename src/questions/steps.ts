/** What is done for a question, in its order, and how far each is, 0 to 1. */
const steps = {
  understanding: { text: 'Understanding the question', progress: 0.1 },
  'searching the schema': { text: 'Searching the schema', progress: 0.25 },
  building: { text: 'Building the query', progress: 0.4 },
  running: { text: 'Running the query', progress: 0.5 },
  shaping: { text: 'Shaping the answer', progress: 0.9 },
} as const;

export type Step = keyof typeof steps;

/** How far an attempt after the first is further. */
const further = 0.15;

/** Says what is done next, in words and in a number. */
export function tellStep(
  { tell }: { tell(text: string, data: object): void },
  step: Step,
  { attempt = 0, said, ...data }: { attempt?: number; said?: string; [name: string]: unknown } = {},
): void {
  const { text, progress } = steps[step];
  const words = said ?? (attempt === 0 ? text : `${text}, again`);
  tell(words, { step, progress: Math.round((progress + attempt * further) * 100) / 100, ...data });
}
