import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';

function renderInvoice(items) {
  let total = 0;
  for (let i = 0; i < items; i++) total += Math.sqrt(i) * Math.random();
  return total;
}

const server = new ApolloServer({
  typeDefs: 'type Query { invoice: Float }',
  resolvers: { Query: { invoice: () => renderInvoice(60_000_000) } },
});
const { url } = await startStandaloneServer(server, { listen: { port: Number(process.env.PORT ?? 3000) } });
console.log(`listening on ${new URL(url).port}`);
