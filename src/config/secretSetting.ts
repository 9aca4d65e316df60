import { z } from 'zod';

/** A setting that isn't to be seen, and may be given by a file too. */
export function secretSetting<Shape extends z.ZodType = z.ZodString>(says: string, shape: Shape = z.string() as never) {
  return shape.optional().meta({ description: says, secret: true });
}

export function isSecretSetting(setting: z.ZodType): boolean {
  return setting.meta()?.secret === true;
}
