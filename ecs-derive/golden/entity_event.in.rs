#[derive(EntityEvent)]
#[entity_event(auto_propagate, propagate = &'static ChildOf)]
pub struct Hit {
    #[event_target]
    pub body: Entity,
    pub points: u32,
}
