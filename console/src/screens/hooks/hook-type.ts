import type { HookQuery } from '../../api/documents.js';

export type Hook = NonNullable<HookQuery['applicationHook']>;
