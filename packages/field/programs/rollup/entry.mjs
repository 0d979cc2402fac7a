import * as lodash from 'lodash-es';

console.log(Object.keys(lodash).map((name) => lodash[name].length));
