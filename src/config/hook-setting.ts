import type { z } from 'zod';
import { parseDuration } from './duration.js';
import { deadlineSetting, durationSentence, durationSetting, flagSetting, listSetting, networkOf } from './setting.js';

/** Size of libuv's thread pool, unless UV_THREADPOOL_SIZE sets another. */
export const threads = 16;

export interface HookConfig {
  /**
   * `allowCidrs`: private networks that may be called. `denyCidrs`: networks that must not be called. Both in CIDR
   * notation.
   */
  allowCidrs: readonly string[];
  denyCidrs: readonly string[];
  /** Waits between attempts. There is one more attempt than waits. */
  retrySchedule: readonly number[];
  timeout: number;
  httpsOnly: boolean;
  deliveryRetention: number;
  /** Maximum number of concurrent host name look-ups. */
  lookups: number;
}

/** Settings of webhook calls in the environment. */
export const hookSettings = {
  HOOK_ALLOW_CIDRS: listSetting(networkOf, 'must be networks such as 10.0.0.0/8, separated by commas').default([]),
  HOOK_DENY_CIDRS: listSetting(networkOf, 'must be networks such as 10.0.0.0/8, separated by commas').default([]),
  HOOK_RETRY_SCHEDULE: listSetting(
    parseDuration,
    `must be waits separated by commas, each ${durationSentence}`,
  ).default(['5s', '5m', '30m', '2h', '5h', '10h', '14h', '20h', '24h'].map((wait) => parseDuration(wait) ?? 0)),
  HOOK_TIMEOUT: deadlineSetting().default(15_000),
  HOOK_HTTPS_ONLY: flagSetting().default(false),
  DELIVERY_RETENTION: durationSetting().default(30 * 86_400_000),
};

type Given = z.infer<z.ZodObject<typeof hookSettings>>;

/** Returns the settings of webhook calls. */
export const hooksOf = (given: Given): HookConfig => ({
  allowCidrs: given.HOOK_ALLOW_CIDRS,
  denyCidrs: given.HOOK_DENY_CIDRS,
  retrySchedule: given.HOOK_RETRY_SCHEDULE,
  timeout: given.HOOK_TIMEOUT,
  httpsOnly: given.HOOK_HTTPS_ONLY,
  deliveryRetention: given.DELIVERY_RETENTION,
  // libuv leaves at most half of its threads to the system's resolver.
  lookups: threads / 2,
});
