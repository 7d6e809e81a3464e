import { z } from 'zod';

/** The body of `/init`; all fields are optional (envd PostInitJSONBody). */
const initBody = z.object({
  envVars: z.record(z.string(), z.string()).nullish(),
  accessToken: z.string().nullish(),
  timestamp: z.iso.datetime({ offset: true }).nullish(),
  hyperloopIP: z.string().nullish(),
  defaultUser: z.string().nullish(),
  defaultWorkdir: z.string().nullish(),
  lifecycleID: z.string().nullish(),
  volumeMounts: z.array(z.unknown()).nullish(),
  caBundle: z.string().nullish(),
});

export type InitRequest = z.infer<typeof initBody>;

/**
 * Reads the body of an `/init`; an empty one is an empty request.
 * @returns undefined when it is not JSON or has a field of another type: envd answers 400
 */
export function parseInitRequest(body: string): InitRequest | undefined {
  if (body === '') return {};
  try {
    // Go's json.Unmarshal takes `null` for an empty struct.
    return initBody.parse(JSON.parse(body) ?? {});
  } catch {
    return undefined;
  }
}
