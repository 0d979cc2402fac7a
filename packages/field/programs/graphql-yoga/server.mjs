import { createServer } from 'node:http';

import { createSchema, createYoga } from 'graphql-yoga';

const orders = Array.from({ length: 12_000 }, (_, id) => ({ id, customerId: id % 1500, amount: id }));
const customers = Array.from({ length: 1500 }, (_, id) => ({ id, name: `Customer ${id}` }));

const schema = createSchema({
  typeDefs: `
    type Customer { id: ID!, name: String!, orders: [Order!]! }
    type Order { id: ID!, amount: Float!, customer: Customer! }
    type Query { orders: [Order!]!, customers: [Customer!]! }
  `,
  resolvers: {
    Query: { orders: () => orders, customers: () => customers },
    Order: { customer: (order) => customers.find(({ id }) => id === order.customerId) },
    Customer: { orders: (customer) => orders.filter(({ customerId }) => customerId === customer.id) },
  },
});
const yoga = createYoga({ schema, logging: false });
createServer(yoga).listen(Number(process.env.PORT), '127.0.0.1');
