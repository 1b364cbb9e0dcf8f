import type { Context } from '../schema/context.js';
import type { Allowance } from './allowance.js';

/** The context of one operation of the graph. */
export interface GraphContext extends Context {
  readonly allowance: Allowance;
}
