import { GraphQLJSON, GraphQLJSONObject } from 'graphql-scalars';
import { Field, ObjectType, registerEnumType } from 'type-graphql';
import type { PlainJson } from '#json/json.js';

export enum AlertOperator {
  lt = 'lt',
  lte = 'lte',
  gt = 'gt',
  gte = 'gte',
  eq = 'eq',
  ne = 'ne',
}

registerEnumType(AlertOperator, {
  name: 'AlertOperator',
  description: 'Comparison of a variable with a value.',
  valuesConfig: {
    lt: { description: 'Less than.' },
    lte: { description: 'Less than or equal to.' },
    gt: { description: 'Greater than.' },
    gte: { description: 'Greater than or equal to.' },
    eq: { description: 'Equal to.' },
    ne: { description: 'Not equal to.' },
  },
});

@ObjectType({ description: 'One comparison of a variable with a value.' })
export class AlertComparison {
  @Field(() => String, { description: 'Name of the variable, a field of `data`.' }) variable!: string;
  @Field(() => AlertOperator, { description: 'Comparison operator.' }) operator!: AlertOperator;
  @Field(() => GraphQLJSON, { description: 'A number, a text or a boolean.' }) value!: number | string | boolean;
}

@ObjectType({ description: 'Comparisons joined by `all` or `any`, or a search query.' })
export class AlertCondition {
  @Field(() => [AlertComparison], { nullable: true, description: 'Comparisons that all hold.' })
  all?: AlertComparison[] | null;
  @Field(() => [AlertComparison], { nullable: true, description: 'Comparisons of which at least one holds.' })
  any?: AlertComparison[] | null;
  @Field(() => GraphQLJSONObject, { nullable: true, description: 'A search query over the record.' })
  query?: { [key: string]: PlainJson } | null;
}
