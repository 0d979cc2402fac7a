import 'reflect-metadata';
import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

function renderInvoice(items: number): number {
  let total = 0;
  for (let i = 0; i < items; i++) total += Math.sqrt(i) * Math.random();
  return total;
}

@Controller()
class InvoiceController {
  @Get()
  invoice(): string {
    return String(renderInvoice(60_000_000));
  }
}

@Module({ controllers: [InvoiceController] })
class AppModule {}

const app = await NestFactory.create(AppModule);
const server = await app.listen(process.env.PORT ?? 3000);
console.log(`listening on ${server.address().port}`);
