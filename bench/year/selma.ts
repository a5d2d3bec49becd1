import { parseAttributes } from "./joren.js"

/** Columns: type, about, name | values | said | changed. " / " separates values and texts. Written after the engine. */
const lines = `
identity, Selma, city | Aarhus / Tampere / Graz | Selma's flat is in {v} / Selma calls {v} her home town / You find Selma in {v} | Selma relocated to {v} / Since this month Selma's flat is in {v}, not in {o}
identity, Selma, company | Norvik / Halgren / Trisol | Selma is paid by {v} / The company of Selma is {v} / Selma has a desk at {v} | Selma started at {v} / Selma quit {o} and joined {v}
identity, Selma, title | data analyst / team lead / product owner | Selma's job title is {v} / Selma serves as {v} / On her card Selma is a {v} | Selma became {v} / Selma's job title is {v} from now on
identity, Selma, laptop | ThinkPad / MacBook / Framework | Selma works on a {v} / Selma's laptop is a {v} / Selma carries a {v} | Selma's laptop is a {v} now / Selma swapped the {o} for a {v}
identity, Selma, husband | Anders | Selma is married to Anders / Selma's husband is Anders / Anders is the husband of Selma |
identity, Selma, horse | Pelle | Selma owns a horse, Pelle / The horse of Selma is Pelle / Pelle belongs to Selma |
identity, Selma, choir | Vox / Cantores / Liedertafel | Selma sings with {v} / Selma's choir is {v} / Selma rehearses with {v} | Selma sings with {v} now / Selma left {o} and sings with {v}
identity, Selma, insurer | Tryg / Allianz / Uniqa | Selma is insured with {v} / Selma's insurer is {v} / The policy of Selma is from {v} | Selma's insurer is {v} now / Selma cancelled {o} and is insured with {v}
identity, Selma, passport | Danish | Selma holds a Danish passport / Selma's passport is Danish / Selma travels on a Danish passport |
identity, Selma, gym | Fitness Nord / Studio Pulse / Ironbox | Selma trains at {v} / Selma's gym is {v} / Selma has a card of {v} | Selma trains at {v} these days / Selma moved her training from {o} to {v}
preference, Selma, coffee | espresso / filter coffee / cortado | Selma orders {v} / Selma's coffee is {v} / Selma starts the day with {v} | Selma orders {v} now / Selma orders {v} instead of {o}
preference, Selma, font | Inter / Fira Code / Iosevka | Selma reads code in {v} / Selma's font is {v} / Selma has set {v} as her font | Selma's font is {v} now / Selma changed her font from {o} to {v}
preference, Selma, shell | zsh / fish / nushell | Selma's shell is {v} / Selma types into {v} / Selma has her aliases in {v} | Selma's shell is {v} now / Selma went over from {o} to {v}
preference, Selma, reviews | in the morning / after lunch / on Fridays | Selma does reviews {v} / Selma wants reviews {v} / Reviews with Selma are {v} | Selma does reviews {v} now / Selma wants reviews {v} rather than {o}
preference, Selma, summaries | three sentences / one page / a list | Selma wants summaries of {v} / Summaries for Selma have {v} / Selma likes summaries of {v} | Selma wants summaries of {v} now / Selma wants summaries of {v}, no longer of {o}
preference, Selma, currency | euros / kroner / francs | Selma wants amounts in {v} / Amounts for Selma are in {v} / Selma counts in {v} | Selma wants amounts in {v} now / Selma wants amounts in {v} and not in {o}
preference, Selma, seat | rear row / front row | Selma sits in the {v} / Selma's seat is in the {v} / Selma books the {v} | Selma sits in the {v} now / Selma's seat is in the {v} instead of the {o}
preference, Selma, lunch | soup / salad / sandwiches | Selma has {v} at noon / Selma's lunch is {v} / At noon Selma eats {v} | Selma has {v} at noon now / Selma's lunch is {v}, no longer {o}
preference, Selma, podcast | Radioavis / Kernel Hour / Mosaik | Selma listens to {v} on the train / Selma's podcast is {v} / On the train Selma hears {v} | Selma's podcast is {v} now / Selma dropped {o} and listens to {v} on the train
preference, Selma, greeting | hello / good day / hi there | Selma wants to be greeted with {v} / The greeting for Selma is {v} / Selma likes {v} as a greeting | The greeting for Selma is {v} now / Selma wants to be greeted with {v} instead of {o}
decision, Heron, queue | Kafka / RabbitMQ / NATS | Heron queues in {v} / The queue of Heron is {v} / The team chose {v} as the queue of Heron | The queue of Heron is {v} now / The team replaced {o} with {v} as the queue of Heron
decision, Heron, standup | 9:15 / 10:45 / 16:20 | The standup of Heron is at {v} / Heron meets for standup at {v} / The team set the standup of Heron to {v} | The standup of Heron is at {v} now / The standup of Heron was moved from {o} to {v}
decision, Heron, vendor | Fastly / Cloudflare / Bunny | Heron is served by {v} / The vendor of Heron is {v} / The team signed with {v} for Heron | The vendor of Heron is {v} now / Heron is no longer served by {o} but by {v}
decision, Heron, support | two years / three years / five years | Heron is supported for {v} / Support of Heron lasts {v} / The team promised support of Heron for {v} | Heron is supported for {v} now / Support of Heron lasts {v} instead of {o}
decision, Heron, tests | pytest / nose / unittest | Heron is tested with {v} / The tests of Heron run in {v} / The team settled on {v} for the tests of Heron | Heron is tested with {v} now / The team migrated the tests of Heron from {o} to {v}
decision, Osier, framework | Django / Flask / FastAPI | Osier is built on {v} / The framework of Osier is {v} / The team builds Osier on {v} | Osier is built on {v} now / The team ported Osier from {o} to {v}
decision, Osier, region | Frankfurt / Stockholm / Zurich | Osier runs in {v} / The region of Osier is {v} / The team deploys Osier to {v} | Osier runs in {v} now / The team moved Osier from {o} to {v}
decision, Osier, owner | Birgit / Tomasz / Imani | The owner of Osier is {v} / {v} owns Osier / The team made {v} the owner of Osier | The owner of Osier is {v} now / {v} took over Osier from {o}
decision, Osier, branch | main / trunk / stable | Osier ships from {v} / The branch of Osier is {v} / The team ships Osier from {v} | Osier ships from {v} now / Osier ships from {v}, no longer from {o}
decision, Osier, backups | hourly / nightly / weekly | Backups of Osier are {v} / Osier is backed up {v} / The team agreed on {v} backups of Osier | Backups of Osier are {v} now / Backups of Osier are {v} instead of {o}`

/** 30 attributes by a third author, about another person and two other projects, in other sentences. */
export const selmaAttributes = parseAttributes(lines)
