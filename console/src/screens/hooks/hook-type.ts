import type { HookQuery } from '../../documents.js';

export type Hook = NonNullable<HookQuery['applicationHook']>;
