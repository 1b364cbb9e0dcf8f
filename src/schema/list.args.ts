import { Max, MaxLength, Min } from 'class-validator';
import { ArgsType, Field, Int } from 'type-graphql';
import { DeliveryState } from '../entities/delivery.js';
import { choice, cursor, flag, unixTime } from './fields.js';
import { type Connection, everything, type SelectedFields } from './selected-fields.js';

/** Page and order of a list (contract, section 8). */
@ArgsType()
export class PageArgs {
  @Field(() => Int, { defaultValue: 10, description: 'Number of items per page, 1 to 1000.' })
  @Min(1)
  @Max(1000)
  limit: number = 10;

  @Field(() => Int, { defaultValue: 1, description: 'Number of the page, from 1.' })
  @Min(1)
  page: number = 1;

  @Field(() => String, {
    nullable: true,
    description: 'Order: names of fields joined by commas, `-` before one for descending.',
  })
  @MaxLength(256)
  sort?: string | null;

  /** Fields of the page that are read. Not a caller's argument: the executor derives it from the query's selection. */
  readonly selected: SelectedFields = everything;

  /** The connection that shows the page. Not a caller's argument: it depends on the queried field. */
  declare readonly connection?: Connection;
}

/** Page of a list that a regular expression filters. */
@ArgsType()
export class SearchablePageArgs extends PageArgs {
  @Field(() => String, { nullable: true, description: 'Regular expression to match, whatever the case.' })
  @MaxLength(256)
  q?: string | null;
}

/** Page of deliveries, by number or by cursor. */
@ArgsType()
export class DeliveriesBelowArgs extends SearchablePageArgs {
  @cursor() after?: string | null;
  @choice(() => DeliveryState, 'Only those that stand so.', { optional: true }) state?: DeliveryState | null;
  @unixTime('Stored from then on: Unix seconds, included.') from?: number | null;
  @unixTime('Stored up to then: Unix seconds, included.') to?: number | null;
}

/** Page of an application's hooks. */
@ArgsType()
export class HooksBelowArgs extends SearchablePageArgs {
  @flag('True: only those that are switched off; false: only the others.') disabled?: boolean | null;
  @flag('True: only those whose latest call failed; false: only the others.') failing?: boolean | null;
}

/** Page of records, by number or by cursor. */
@ArgsType()
export class RecordsBelowArgs extends PageArgs {
  @cursor() after?: string | null;
  @unixTime('Measured from then on: Unix seconds, included.') from?: number | null;
  @unixTime('Measured up to then: Unix seconds, included.') to?: number | null;
}
