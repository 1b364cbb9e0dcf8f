import { Max, MaxLength, Min } from 'class-validator';
import { ArgsType, Field, Int } from 'type-graphql';
import { DeliveryState } from '#entities/delivery.js';
import { choice, cursor, flag, unixTime } from './fields.js';
import { everything, type SelectedFields, type ShownConnection } from './selected-fields.js';

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
    description:
      'Order: field names joined by commas. A `-` before a name sorts in descending order: `-createdAt` in a list of devices.',
  })
  @MaxLength(256)
  sort?: string | null;

  /** Fields of the page that are read. Not a caller's argument: the executor derives it from the query's selection. */
  readonly selected: SelectedFields = everything;

  /** The connection that shows the page. Not a caller's argument: it depends on the queried field. */
  declare readonly connection?: ShownConnection;
}

/** Page of a list that a regular expression filters. */
@ArgsType()
export class SearchablePageArgs extends PageArgs {
  @Field(() => String, {
    nullable: true,
    description: 'Regular expression to match, regardless of case: `^freezer (north|south)`.',
  })
  @MaxLength(256)
  q?: string | null;
}

/** Page of deliveries, by number or by cursor. */
@ArgsType()
export class DeliveriesBelowArgs extends SearchablePageArgs {
  @cursor() after?: string | null;
  @choice(() => DeliveryState, 'Only deliveries in this state.', { optional: true }) state?: DeliveryState | null;
  @unixTime('Only deliveries stored at this time or later: Unix seconds.') from?: number | null;
  @unixTime('Only deliveries stored at this time or earlier: Unix seconds.') to?: number | null;
}

/** Page of an application's hooks. */
@ArgsType()
export class HooksBelowArgs extends SearchablePageArgs {
  @flag('True: only disabled hooks; false: only others.') disabled?: boolean | null;
  @flag('True: only hooks whose latest call failed; false: only others.') failing?: boolean | null;
}

/** Page of records, by number or by cursor. */
@ArgsType()
export class RecordsBelowArgs extends PageArgs {
  @cursor() after?: string | null;
  @unixTime('Only records measured at this time or later: Unix seconds.') from?: number | null;
  @unixTime('Only records measured at this time or earlier: Unix seconds.') to?: number | null;
}
