import { type ClassType, Field, Int, ObjectType } from 'type-graphql';
import { RestShape } from '../entities/columns.js';

/** A page of a list with the size of the whole. */
export interface Page<Item> {
  items: Item[];
  /** Number of items on all pages; absent where counting was given up (deliveries, beyond 10,000). */
  totalCount?: number | null;
}

/** Makes the class of a page: full items in the graph, list items on REST. */
export function pageOf<Item extends object>(item: ClassType<Item>, listItem: ClassType = item): ClassType<Page<Item>> {
  @ObjectType()
  abstract class PageOfItems implements Page<Item> {
    @Field(() => [item], { description: 'Items of this page.' })
    @RestShape(listItem)
    items!: Item[];

    @Field(() => Int, { nullable: true, description: 'Number of items on all pages.' })
    totalCount?: number | null;
  }
  return PageOfItems as ClassType<Page<Item>>;
}
