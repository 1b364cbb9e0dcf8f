import { Field, Int, ObjectType } from 'type-graphql';
import { Delivery } from './delivery.js';
import { DeviceRecord } from './record.js';

const missed =
  'How many came before these and were dropped because they were not fetched in time, or are too large to be told. What was missed is found by a query.';

/** Records that came. */
@ObjectType({ description: 'Records that came. The first event is empty: from then on nothing goes by untold.' })
export class RecordsReceived {
  @Field(() => [DeviceRecord], { description: 'The records, as they were committed.' })
  records!: readonly DeviceRecord[];
  @Field(() => Int, { description: missed }) missed!: number;
}

/** Deliveries that changed. */
@ObjectType({ description: 'Deliveries that changed. The first event is empty: from then on nothing goes by untold.' })
export class DeliveriesUpdated {
  @Field(() => [Delivery], { description: 'The deliveries, as they are now.' }) deliveries!: readonly Delivery[];
  @Field(() => Int, { description: missed }) missed!: number;
}
