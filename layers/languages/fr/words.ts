import type { LanguageWords } from "../claims/LanguageWords.js"

export const french: LanguageWords = {
  tag: "fr",
  cues: {
    not: "pas, jamais, aucun, aucune, personne ne, rien, sans, ni, nullement, interdit, interdite, interdits, impossible, guère",
    ended:
      "cessé, arrêté, arrêtée, terminé, terminée, fini, finies, finis, finie, abandonné, abandonnée, supprimé, supprimée, annulé, annulée, résilié, résiliée, démissionné, quitté, quitte, fermé définitivement, ne plus, n'est plus, caduc, obsolète, dissous, dissoute, retiré, retirée, mis fin, séparés, séparé, divorcé, plus question de, c'est fini, c'en est fini, dissoute, rompu, sorti de, parti, partie de, renoncé, ferme ses portes, tombe à l'eau",
    changed:
      "maintenant, désormais, dorénavant, à présent, à partir de maintenant, à partir d'aujourd'hui, depuis hier, depuis peu, depuis lundi, nouveau, nouvelle, nouvel, nouveaux, nouvelles, changé, change, changée, passé à, passée à, passe à, passe de, passé de, passée de, passés à, passons à, avons basculé, basculé, déménagé, emménagé, déplacé, déplacée, reporté, reportée, avancé, avancée, remplacé, remplacée, remplacés, remplace, augmenté, augmentée, baissé, réduit, réduite, porté à, portée à, prolongé, raccourci, migré, renommé, renommée, repris, reprend, devenu, devenue, à la place, finalement, décalé, décalée, recommencé, recommence, relevé, relevée, abaissé, installé à, muté, mutée, promu, promue, succède, prend la suite, prend le relais, rebaptisé, rebaptisée, doublé, grimpe, monte à, descend à, basculé, transféré, transférée, vient de changer, nous sommes passés, devient, opté, converti, attribué, en échange, remis, remise",
    corrected:
      "correction, corrigé, corrige, rectificatif, rectification, erratum, erreur, me suis trompé, me suis trompée, trompé, trompée, confondu, en réalité, en fait, par erreur, faux, contrairement, au temps pour moi, autant pour moi, faute de frappe",
    former:
      "au lieu de, au lieu du, au lieu des, au lieu d, à la place de, à la place du, plutôt que, jusqu'ici, auparavant, et non, et non plus, ancien, ancienne, anciennement, précédent, précédente",
    also: "aussi, également, en outre, en plus, de plus, par ailleurs, deuxième, second, seconde, autre, supplémentaire, ainsi que, parfois, de temps en temps, à l'occasion, encore un, encore une",
    still:
      "toujours, encore, reste, restent, inchangé, inchangée, rien n'a bougé, redit, rien ne change, c'est exact, exact, exactement, tout à fait, en effet, c'est bien, effectivement, oui, pareil, même chose, confirme, confirmé, confirmée, comme prévu, comme avant, comme d'habitude, vérifié, vérification faite, continue, maintenu, maintenue, bien, identique",
    past: "avant il, avant elle, avant on, avant nous, avant j, autrefois, jadis, était, étaient, avait, avaient, à l'époque, étant enfant, quand il était, étudiant, à l'origine, initialement, au départ, il y a, dans les années, ancien, habitait, travaillait, vivait, utilisait, s'appelait, longtemps, a fait",
    maybe:
      "peut-être, peut être, probablement, sans doute, éventuellement, semble, semblerait, apparemment, paraît, je crois, je pense, crois, pense, pourrait, pourraient, devrait, devraient, serait, seraient, aurait, auraient, si, soi-disant, prétendument, possible, pas sûr, pas sûre, pas certain, rumeur, rumeurs, supposé, suppose, hypothèse, mdr, ben voyons, l'impression, à confirmer, à moitié, qui sait, va savoir, risque de, bien sûr, tu parles, on verra, imagine, rêve, aimerait bien, irait, passerait, conditionnel",
    plan: "prévoit, prévu de, envisage, envisagent, envisageons, veut, veulent, voudrait, voudrais, souhaite, souhaiterait, espère, projet, projette, on compte, je compte, il compte, elle compte, nous comptons, réfléchit, réfléchissons, hésite, va, vont, allons, propose, proposé, proposition, discuté, discute, étudie, bientôt, l'an prochain, l'année prochaine, le mois prochain, prochainement, aimerait, aimerais, pourra, idée, à terme",
    said: "selon, d'après, dit, a dit, dit que, disent, prétend, affirme, raconte, on dit, il paraît, entendu dire, cite, demande, demandé, assure",
    temporary:
      "demain, ce soir, cette semaine, ce mois-ci, cette fois, exceptionnellement, temporairement, provisoirement, provisoire, temporaire, pour l'instant, pour le moment, en ce moment, actuellement, jusqu'à, jusqu'au, jusqu'en, pendant, le temps de, durant, ce week-end, ce matin, cet après-midi, ponctuellement, une fois, en vacances, en congé, remplace pendant, le temps que, exception, sauf, la semaine prochaine, prochain, prochaine, cet été, ce mois, ce lundi, ce mardi, ce mercredi, ce jeudi, ce vendredi, à titre exceptionnel, en dépannage, en essai, à l'essai",
    added: "rajouter, ajouter, rajoute, ajouté, ajoutée, ajoute, oublier, non plus, s'ajoute, rejoint, inclure",
    today: "aujourd'hui",
    but: "mais, cependant, toutefois, en revanche, par contre"
  },
  empty: `du_matin du_soir de_l'après-midi le la les l un une des du de d à au aux en dans sur sous par pour avec chez et ou où que qu qui dont ce c cet cette ces ça cela il elle ils elles on lui leur leurs
    se s y n ne son sa ses est-ce comme car donc alors très bien même tout tous toute toutes plus moins environ vers entre depuis dès après lors puis ici là voilà peut doit doivent peuvent faut afin quand chaque été monsieur madame mme m seulement juste quelque quelques déjà`,
  copulas: "est sont suis sommes c'est",
  decimal: ",",
  links:
    "porte fait organise organisée organisé s'occupe s'appelle appelle habite habitons habitent vit vivent travaille travaillent loge coûte coûtent dure commence débute finit ouvre ferme se trouve trouve situé située s'élève tourne écoute utilise utilisons utilisent dirige gère gérée pilote appartient vaut pèse mesure étudie conduit roule paie paye reçoit a_lieu lieu tient fixé fixée chargé chargée prend",
  openLinks: "a ont ai avons aime aiment mange boit parle connaît adore déteste joue achète collectionne possède",
  thisWords: "ce cette",
  speaker: "je j me m' moi mon ma mes nous notre nos",
  scopes: `mère père frère soeur fils fille femme mari oncle tante cousin cousine grand-mère grand-père mamie papi neveu nièce ami amie collègue voisin voisine chef cheffe enfants parents beau-frère belle-soeur belle-mère beau-père
    production prod préproduction préprod staging recette test développement dev local sandbox gauche droite haut bas nord sud ouest été hiver samedi dimanche ios android windows linux mac interne externe semaine week-end`,
  same: `habiter, habite, vivre, vit, réside, résider, loge, domicilié; travailler, travaille, bosse, employé, employée, poste, bosser; allergique, allergie; peur, craint, redoute; étudier, études, étudiant, étudiante, étudie; réunir, réunit, réunion; signer, signature, signe; matinée, matin; boulot, job, emploi, travail; interdit, défendu; écrire, écrit, rédigé, rédige, rédigée; frère, frangin; conduire, conduit; payer, paie, paye; voiture, auto, véhicule, bagnole; réunion, rendez-vous, rdv, point; portable, mobile, téléphone; adresse, domicile; médecin, docteur, toubib; patron, chef, responsable, directeur;
    entreprise, société, boîte; anniversaire, né, née, naissance; mail, e-mail, email, courriel; bureau, bureaux; ordinateur, pc, ordi; commencer, commence, débute, débuter, démarre; finir, finit, termine, se termine; utiliser, utilise, utilisons, sert, emploie; coûter, coûte, prix, tarif, vaut;
    mensuel, mois, mensuelle; annuel, an, année; quotidien, jour, quotidienne; hebdomadaire, semaine; base, bdd, db; kubernetes, k8s; végétarien, végétarienne; allergie, allergique; marié, mariée, mariage, épousé; déploiement, déployer, déploie, mise en production, mep; échéance, délai, deadline, date limite; aimer, aime, adore; responsable, gère, chargé, chargée, occupe; train, tgv; vélo, bicyclette; ouvrir, ouvre, ouvert, ouverte, ouverture; fermer, ferme, fermeture`,
  opposites: `activé, activée, actif, active, allumé / désactivé, désactivée, inactif, inactive, éteint; ouvert, ouverte / fermé, fermée; public, publique / privé, privée; aime, adore, aimer / déteste, détester, horreur; disponible / indisponible; obligatoire / facultatif, facultative, optionnel; marié, mariée / divorcé, divorcée, célibataire;
    manuel, manuelle, manuellement / automatique, automatiquement; sombre / clair; fonctionne, marche / cassé, panne; fumeur, fume / non-fumeur; temps plein, plein temps / mi-temps, temps partiel; accepté, acceptée, approuvé / refusé, refusée, rejeté; plein / vide; gratuit, gratuite / payant, payante`,
  units: {
    time: "seconde=1 secondes=1 s=1 ms=0.001 minute=60 minutes=60 min=60 mn=60 heure=3600 heures=3600 jour=86400 jours=86400 semaine=604800 semaines=604800 mois=2629800 an=31557600 ans=31557600 année=31557600 années=31557600",
    length: "mm=0.001 cm=0.01 centimètres=0.01 m=1 mètre=1 mètres=1 km=1000 kilomètre=1000 kilomètres=1000",
    mass: "mg=0.001 g=1 grammes=1 kg=1000 kilo=1000 kilos=1000 tonnes=1000000",
    money: "euro=1 euros=1 eur=1 €=1",
    dollar: "dollar=1 dollars=1 usd=1 $=1",
    franc: "francs=1 chf=1",
    percent: "%=1 pourcent=1",
    bytes: "ko=0.001 mo=1 go=1000 to=1000000 kb=0.001 mb=1 gb=1000 tb=1000000",
    volume: "ml=0.001 cl=0.01 l=1 litre=1 litres=1",
    temperature: "°c=1 degrés=1 °=1"
  },
  numbers:
    "zéro=0 deux=2 trois=3 quatre=4 cinq=5 six=6 sept=7 huit=8 neuf=9 dix=10 onze=11 douze=12 treize=13 quatorze=14 quinze=15 seize=16 vingt=20 trente=30 quarante=40 cinquante=50 soixante=60 cent=100 mille=1000 douzaine=12 quinzaine=15",
  clock: "h heure heures",
  minutes: "et demie=30, et demi=30, et quart=15, moins le quart=-15",
  minutesBefore: "",
  due: "cherche, cherchons, cherchent, à envoyer, à faire, à scanner, à payer, en panne, en attente, en cours, reste à, manque, manquent, vacant, vacante, hors service, cassé, cassée, malade, en arrêt, en congé maladie, impayé, impayée, pas encore, à vendre, en vente, à réparer, fiancés, fiancé, fiancée, en travaux, fuit, bloqué, bloquée, perdu, perdue, à signer, enceinte, à pourvoir, doit être, prêté, prêtée, introuvable, disparu, disparue, à l'hôpital, vide, à trouver, à l'arrêt, attend, attendons, recherche, recherchons, à louer, blessé, blessée",
  done: "trouvé, trouvée, réparé, réparée, réparés, signé, signée, déposé, déposée, envoyé, envoyée, payé, payée, réglé, réglée, terminé, terminée, fini, livré, livrée, vendu, vendue, achevé, achevée, de retour, guéri, guérie, rétabli, rétablie, marié, mariés, mariée, embauché, embauchée, résolu, résolue, remis en service, refonctionne, remarche, pourvu, pourvue, validé, validée, rendu, rendue, reçu, reçue, bouclé, bouclée, retrouvé, retrouvée, tourne normalement, accouché, débloqué, débloquée, remboursé, remboursée, né, née, sorti de l'hôpital, remplie, obtenu, obtenue, accordé, accordée, acheté, achetée, arrivé, arrivée, remplacée, posé, posée, installé, installée",
  months:
    "janvier/janv février/févr mars avril mai juin juillet/juil août septembre/sept octobre/oct novembre/nov décembre/déc",
  weekdays:
    "lundi/lundis mardi/mardis mercredi/mercredis jeudi/jeudis vendredi/vendredis samedi/samedis dimanche/dimanches",
  endedAfterNot: ["ne n", "plus"],
  fromTo: ["de du d des", "à au aux en vers"],
  endings: /(?:ements?|ations?|issent|aient|antes?|ants?|ment|ait|ent|ons|ees?|ez|er|es|ir|e|s|x)$/
}
