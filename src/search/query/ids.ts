import { illegalArgument } from '../search-failure.js';
import { object } from '../syntax/object.js';
import { bareText, ignored, type Read, string } from '../syntax/value.js';
import { type Binding, findField } from './binding.js';
import { common, type ParseClause } from './clause.js';
import type { Clause } from './clause-node.js';
import type { Predicate } from './predicate.js';

export interface IdsQuery extends Clause<'ids'> {
  readonly values: readonly string[];
}

export const ids: ParseClause<IdsQuery> = (at) => {
  const { values = [] } = object('ids', { values: idList, type: ignored, ...common })(at);
  if (values.includes('')) throw illegalArgument("Ids can't be empty", at);
  return { kind: 'ids', at, values };
};

const idList: Read<string[]> = (input) => {
  if (!input.isArray) return [string(input)];
  return input.items().map((item) => {
    return bareText(item);
  });
};

export const bindIds = ({ values, at }: IdsQuery, { fields }: Binding): Predicate => ({
  kind: 'in',
  field: findField(fields, '_id', at)!,
  values,
});
