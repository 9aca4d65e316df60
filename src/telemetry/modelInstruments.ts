import type { Attributes, Meter } from '@opentelemetry/api';

/** Of which model; its name is that of the settings. */
export interface ModelLabels extends Attributes {
  'gen_ai.operation.name': 'chat';
  'gen_ai.provider.name': 'openai';
  'gen_ai.request.model': string;
}

/** `first`, and each further bucket so many times as wide. */
const buckets = (first: number, times: number) => Array.from({ length: 14 }, (_, power) => first * times ** power);

/**
 * What is counted of a language model. Tokens and time have the names, labels and buckets of OpenTelemetry's semantic
 * conventions for generative AI; of what they cost there is no convention.
 */
export function modelInstruments(meter: Meter) {
  return {
    modelTokens: meter.createHistogram<ModelLabels & { 'gen_ai.token.type': 'input' | 'output' }>(
      'gen_ai.client.token.usage',
      {
        description: 'Tokens of a call of the language model',
        unit: '{token}',
        advice: { explicitBucketBoundaries: buckets(1, 4) },
      },
    ),
    modelDuration: meter.createHistogram<ModelLabels & { 'error.type'?: string }>('gen_ai.client.operation.duration', {
      description: 'Time of a call of the language model',
      unit: 's',
      advice: { explicitBucketBoundaries: buckets(0.01, 2) },
    }),
    /** In the currency of the prices that are set. */
    modelCost: meter.createCounter<ModelLabels>('concord_model_cost', {
      description: 'What calls of the language model come to by the prices that are set',
    }),
  };
}
