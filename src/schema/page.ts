import { type ClassType, Field, Int, ObjectType } from 'type-graphql';
import { GraphOnly, RestShape } from '#entities/columns.js';

/** A page of a list with the size of the whole list. */
export interface Page<Item> {
  items: Item[];
  /** Number of items on all pages. Absent when counting stopped (for deliveries, above 10,000). */
  totalCount?: number | null;
}

/** Creates the class of a page: full items in GraphQL, list items on REST. */
export function createPageType<Item extends object>(
  item: ClassType<Item>,
  listItem: ClassType = item,
): ClassType<Page<Item>> {
  const Shape = (): PropertyDecorator => (listItem === item ? () => undefined : RestShape(listItem));
  @ObjectType()
  abstract class PageOfItems implements Page<Item> {
    @Field(() => [item], { description: 'Items of this page.' })
    @Shape()
    items!: Item[];

    @Field(() => Int, { nullable: true, description: 'Number of items on all pages.' })
    totalCount?: number | null;
  }
  return PageOfItems as ClassType<Page<Item>>;
}

/** Creates the class of a page that can also be read by cursor. It says where it ends and whether there is more. */
export function createWalkedPageType<Item extends object>(item: ClassType<Item>, listItem: ClassType = item) {
  @ObjectType()
  abstract class PageOfWalk extends createPageType(item, listItem) {
    @Field(() => String, {
      nullable: true,
      description: 'Cursor of the last item, for `after`; null on an empty page, and with a `sort` of your own.',
    })
    @GraphOnly()
    endCursor?: string | null;

    @Field(() => Boolean, { description: 'Whether more items follow the last one.' })
    @GraphOnly()
    hasMore?: boolean;
  }
  return PageOfWalk as ClassType<Page<Item> & Pick<PageOfWalk, 'endCursor' | 'hasMore'>>;
}
