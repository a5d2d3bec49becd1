/** Words for lasting matters in private life and at work, by topic. "_" joins the words of a phrase. */
export const topicWords = {
  home: `flat apartment mortgage lease tenancy garden allotment balcony attic extension roof boiler`,
  work: `notice job jobs contract salary raise promotion position role shift shifts internship apprenticeship probation redundancy pension retirement
    career employer team department branch company firm startup agency board committee chair treasurer secretary chairman chairwoman captain union
    on_call client clients customer customers supplier vendor proposal tender kickoff kick-off stakeholder budget pricing office headquarters
    merger acquisition investor audit compliance kpi`,
  study: `degree exam exams thesis university college diploma certificate licence license driving_test scholarship lessons tuition lecture lectures
    pupils students`,
  health: `pills tablets dose dosage prescription operation diagnosis surgery scan blood_test checkup specialist clinic glasses contact_lenses crutches
    brace allergy treatment`,
  family: `wedding engagement divorce birth baby funeral birthday anniversary custody adoption`,
  money: `savings account loan debt bank insurance tax taxes subscription invoice`,
  travel: `passport visa flight flights hotel trip cruise holiday ferry reservation`,
  transport: `car van motorbike motorcycle bike bicycle scooter boat camper caravan`,
  hobby: `band choir orchestra club league squad instrument guitar piano violin cello bass drums trumpet flute marathon half-marathon race gig concert
    exhibition tournament`,
  software: `project repo repository release deadline milestone sprint roadmap migration database cluster pipeline deployment staging production incident
    outage root_cause pager endpoint api sdk framework library linter formatter coverage schema queue retention backup backups rotation sla slo
    handover launch convention style_guide template policy seats licences licenses`
} as const
