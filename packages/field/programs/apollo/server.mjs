import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';

const logs = Array.from({ length: 12_000 }, (_, id) => ({
  id: String(id),
  parentId: String(id >> 1),
  text: `log ${id}`,
}));

const server = new ApolloServer({
  // The request that finds out whether the server is ready is a plain GET.
  csrfPrevention: false,
  typeDefs: `
    type Log { id: ID!, text: String!, depth: Int!, parent: Log }
    type Query { logs(first: Int!): [Log!]! }
  `,
  resolvers: {
    Query: { logs: (_, { first }) => logs.slice(0, first) },
    Log: {
      parent: (log) => logs.find(({ id }) => id === log.parentId),
      depth(log) {
        let depth = 0;
        for (let current = log; current.id !== current.parentId; depth++) {
          current = logs.find(({ id }) => id === current.parentId);
        }
        return depth;
      },
    },
  },
});
const { url } = await startStandaloneServer(server, { listen: { port: Number(process.env.PORT), host: '127.0.0.1' } });
console.log(`ready at ${url}`);
