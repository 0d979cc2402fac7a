require('reflect-metadata');

const { Body, Controller, Get, Inject, Module, Post } = require('@nestjs/common');
const { NestFactory } = require('@nestjs/core');
const { TypeOrmModule, getRepositoryToken } = require('@nestjs/typeorm');
const { EntitySchema } = require('typeorm');

const Order = new EntitySchema({
  name: 'Order',
  columns: {
    id: { type: 'integer', primary: true },
    customer: { type: 'varchar' },
    amount: { type: 'integer' },
  },
});

/** Decorators without a compiler. */
function decorate(target, method, decorators, parameters = []) {
  parameters.forEach((parameter, index) => parameter(target.prototype, method, index));
  const descriptor = Object.getOwnPropertyDescriptor(target.prototype, method);
  for (const decorator of decorators) decorator(target.prototype, method, descriptor);
}

class OrdersController {
  constructor(orders) {
    this.orders = orders;
  }
  health() {
    return 'ok';
  }
  async add(rows) {
    await this.orders.save(rows, { chunk: 300 });
    return { count: await this.orders.count() };
  }
  async totals() {
    const rows = await this.orders.find({ order: { amount: 'DESC', id: 'ASC' } });
    const totals = {};
    for (const { customer, amount } of rows) totals[customer] = (totals[customer] ?? 0) + amount;
    return totals;
  }
}
Controller()(OrdersController);
Inject(getRepositoryToken(Order))(OrdersController, undefined, 0);
decorate(OrdersController, 'health', [Get('health')]);
decorate(OrdersController, 'add', [Post('orders')], [Body()]);
decorate(OrdersController, 'totals', [Get('totals')]);

class ApplicationModule {}
Module({
  imports: [
    TypeOrmModule.forRoot({ type: 'sqljs', entities: [Order], synchronize: true }),
    TypeOrmModule.forFeature([Order]),
  ],
  controllers: [OrdersController],
})(ApplicationModule);

async function main() {
  const application = await NestFactory.create(ApplicationModule, { logger: false });
  application.useBodyParser('json', { limit: '20mb' });
  application.enableShutdownHooks();
  await application.listen(Number(process.env.PORT), '127.0.0.1');
}

main();
