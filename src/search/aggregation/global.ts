import { parsing } from '../failure.js';
import { kindOf } from '../syntax/value.js';
import { named, type ParseAggregation } from './frame.js';
import type { Node } from './node.js';

/** One bucket of all records in scope, whatever the query. */
export interface GlobalAggregation extends Node<'global'> {}

export const global: ParseAggregation<GlobalAggregation> = (at, frame) => {
  const [first] = at.members();
  if (first !== undefined)
    throw parsing(
      `Expected [FIELD_NAME] under a [START_OBJECT], but got a [${kindOf(first.input)}] in [${frame.name}]`,
      first.input,
    );
  return { kind: 'global', ...named(frame, at) };
};
